import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyPatches } from './patch.js';
import type { Mutant } from './mutant.js';

/**
 * A copy of the working tree in a folder of its own, which may be broken as one likes. Packages are linked, and
 * so is nothing else: a file that was linked would break here and there.
 */
export class Scratch {
  private constructor(readonly root: string) {}

  static make(checkout: string): Scratch {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'payonce-mutants-')));
    for (const file of filesOf(checkout)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      cpSync(join(checkout, file), join(root, file));
    }
    symlinkSync(realpathSync(join(checkout, 'node_modules')), join(root, 'node_modules'));
    const built = join(checkout, 'dist-demo');
    if (existsSync(built)) cpSync(built, join(root, 'dist-demo'), { recursive: true });
    return new Scratch(root);
  }

  /** Breaks the copy. Returns what mends it again. */
  async patch({ patches }: Mutant): Promise<() => Promise<void>> {
    const undo = applyPatches(this.root, patches);
    const files = [...new Set(patches.map(({ file }) => file))];
    await this.rebuild(files);
    return async () => {
      undo();
      await this.rebuild(files);
    };
  }

  /** Only what was patched is compiled anew: a whole build would take longer than most checks. */
  private async rebuild(files: readonly string[]): Promise<void> {
    const built = join(this.root, 'dist-demo');
    const sources = files.filter((file) => /^(apps|libs|ops)\/.*\.ts$/.test(file));
    if (sources.length === 0 || !existsSync(built)) return;
    const { default: ts } = await import('typescript');
    for (const file of sources.filter((each) => !each.endsWith('.spec.ts'))) {
      const text = readFileSync(join(this.root, file), 'utf8');
      const { outputText } = ts.transpileModule(text, {
        fileName: file,
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
          strictPropertyInitialization: false,
        },
      });
      writeFileSync(join(built, file.replace(/\.ts$/, '.js')), outputText);
    }
    const builder = (await import(pathToFileURL(join(this.root, 'ops/build.mjs')).href)) as Builder;
    writeFileSync(join(built, '.stamp'), builder.sourceStamp());
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

type Builder = { sourceStamp: () => string };

/** What git knows, and what it would know if it were told; in a folder without git all that is not made. */
function filesOf(checkout: string): string[] {
  const args = ['-C', checkout, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(checkout, file)));
}
