import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import ts from 'typescript';

/**
 * A k6 script and what it imports, compiled once and run once for every virtual user: as in k6, each
 * user has module variables of its own. `k6/…` modules are made anew for each user too, so that
 * `exec.vu` knows after an `await` whose it is.
 */
export type Exports = Record<string, unknown>;
export type Builtins = { modules: Record<string, unknown>; globals: Record<string, unknown> };

export class Script {
  private readonly compiled = new Map<string, (...args: unknown[]) => void>();

  constructor(readonly path: string) {
    if (!existsSync(path)) throw new Error(`There is no script ${path}`);
  }

  instantiate({ modules, globals }: Builtins): Exports {
    const loaded = new Map<string, Exports>();
    const load = (path: string): Exports => {
      const known = loaded.get(path);
      if (known) return known;
      const module = { exports: {} as Exports };
      loaded.set(path, module.exports);
      const require = (name: string) =>
        name.startsWith('.') ? load(find(path, name)) : builtin(modules, name);
      this.compile(path, Object.keys(globals))(
        module,
        module.exports,
        require,
        ...Object.values(globals),
      );
      return module.exports;
    };
    return load(this.path);
  }

  private compile(path: string, globals: string[]): (...args: unknown[]) => void {
    const known = this.compiled.get(path);
    if (known) return known;
    const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
      fileName: path,
      compilerOptions: {
        module: ts.ModuleKind.CommonJS,
        target: ts.ScriptTarget.ES2022,
        inlineSourceMap: true,
      },
    });
    const compiled = compileFunction(outputText, ['module', 'exports', 'require', ...globals], {
      filename: path,
    });
    this.compiled.set(path, compiled as (...args: unknown[]) => void);
    return compiled as (...args: unknown[]) => void;
  }
}

function find(from: string, name: string): string {
  const path = resolve(dirname(from), name);
  const found = [path, path.replace(/\.js$/, '.ts')].find((candidate) => existsSync(candidate));
  if (!found) throw new Error(`${from} imports ${name}, which is not there`);
  return found;
}

function builtin(modules: Record<string, unknown>, name: string): unknown {
  if (name in modules) return modules[name];
  throw new Error(
    `${name} is not among the modules that this runner has: ${Object.keys(modules).join(', ')}`,
  );
}
