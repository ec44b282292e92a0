import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './run-start.js';

export interface Owner {
  uid: number;
  gid: number;
}

type CopyOptions = { owner?: Owner; built?: boolean };
type Copy = { folder: string; checkout: string };

/**
 * A checkout of the test's own: the sources copied, the installed packages linked. Without an owner
 * it is the caller's; `folder` above it also has room for a home, and goes away with everything.
 * `built`: with the build of these sources, so that the first command in it need not build.
 */
export function copyCheckout({ owner, built = false }: CopyOptions = {}): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-copy-'));
  const checkout = join(folder, 'checkout');
  for (const file of sourceFiles()) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(ROOT, file), join(checkout, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  if (built) {
    execFileSync(process.execPath, ['ops/build.mjs'], { cwd: ROOT });
    cpSync(join(ROOT, 'dist-demo'), join(checkout, 'dist-demo'), { recursive: true });
  }
  chmodSync(folder, 0o711);
  if (owner) {
    for (const path of readdirSync(checkout, { recursive: true })) {
      if (!String(path).startsWith('node_modules')) {
        chownSync(join(checkout, String(path)), owner.uid, owner.gid);
      }
    }
    chownSync(checkout, owner.uid, owner.gid);
  }
  return { folder, checkout };
}

function sourceFiles(): string[] {
  const tops = ['apps', 'libs', 'migrations', 'ops', 'docs'];
  const nested = tops.flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );
  const files = [
    'package.json',
    'package-lock.json',
    '.env.example',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  return [...nested, ...files].filter((file) => existsSync(join(ROOT, file)));
}

/** Another OS user, when this process may act as one and that one can read the installed packages. */
export function otherUser(): Owner | { skip: string } {
  if (process.getuid?.() !== 0) return { skip: 'only root can start it as another OS user' };
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  try {
    const owner = { uid: id('-u'), gid: id('-g') };
    const packages = join(ROOT, 'node_modules', 'typescript7', 'package.json');
    const canRead = spawnSync('cat', [packages], { ...owner, cwd: '/', stdio: 'ignore' });
    if (canRead.status === 0) return owner;
    return { skip: `the OS user "nobody" may not read ${ROOT}/node_modules` };
  } catch {
    return { skip: 'there is no OS user "nobody"' };
  }
}
