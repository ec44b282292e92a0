import { posix } from 'node:path';
import { lineAt, type Rule, type SourceFile } from '../source.js';

/** Every relative link leads to a file or folder that exists, and to a heading where it names one. */
export const linksLeadSomewhere: Rule = (files) => {
  const known = new Map(files.map((file) => [file.path, file]));
  const folders = new Set(files.flatMap(({ path }) => parents(path)));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((page) =>
      links(page).flatMap(({ target, line }) => {
        const [path = '', anchor] = target.split('#');
        const full =
          path === ''
            ? page.path
            : posix.normalize(posix.join(posix.dirname(page.path), decodeURI(path)));
        const file = known.get(full.replace(/\/$/, ''));
        const exists = file !== undefined || folders.has(full.replace(/\/$/, ''));
        if (!exists) return [{ path: page.path, line, reason: `${target} leads nowhere` }];
        const heading = anchor && file?.path.endsWith('.md') ? headings(file).has(anchor) : true;
        return heading ? [] : [{ path: page.path, line, reason: `${target}: no such heading` }];
      }),
    );
};

/** A decision without its costs is an advertisement; one that nothing enforces is a wish. */
export const decisionsAreWhole: Rule = (files) =>
  files
    .filter(({ path }) => /^docs\/decisions\/(?!README).+\.md$/.test(path))
    .flatMap((file) =>
      PARTS.filter(({ heading }) => !heading.test(file.text)).map(({ name }) => ({
        path: file.path,
        line: 1,
        reason: `the part "${name}" is missing`,
      })),
    );

const PARTS = ['Context', 'Decision', 'Why', 'Costs', 'Enforced by'].map((name) => ({
  name,
  heading: new RegExp(`^(#+ |\\*\\*)${name === 'Costs' ? '(Costs|Consequences)' : name}\\b`, 'im'),
}));

function links(page: SourceFile): { target: string; line: number }[] {
  // Code is blanked first: a sample in a fence is not a link.
  const text = page.text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, (code) =>
    code.replaceAll(/[^\n]/g, ' '),
  );
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((found) => ({ target: found[1] ?? '', line: lineAt(text, found.index) }))
    .filter(({ target }) => !/^([a-z]+:|\/)/.test(target));
}

/** As GitHub makes them: lower case, punctuation gone, spaces to dashes. */
function headings(page: SourceFile): Set<string> {
  const found = [...page.text.matchAll(/^#+ +(.+?) *$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(found);
}

function parents(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [''] : [folder, ...parents(folder)];
}
