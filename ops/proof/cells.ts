import type { Cell } from './cell.js';
import { PROCESS_CELLS } from './process-cells.js';
import { WORLD_CELLS } from './world-cells.js';

export const CELLS: readonly Cell[] = [...PROCESS_CELLS, ...WORLD_CELLS];
