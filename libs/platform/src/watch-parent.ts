import { stopWhenParentDies } from './parent.js';

// For `node --import`: a supervised program need not know that it is one.
stopWhenParentDies();
