import type { Body, Headers, Sent } from './wire.js';

/** The command that sends a request again, by bash. The credential is a variable: `KEY=… ` comes before it. */
export function curlOf(
  sent: Sent,
  authorize: (credential: string) => Record<string, string>,
): string {
  const secret: Headers =
    sent.credential === 'none' ? [] : Object.entries(authorize(`$${sent.credential}`));
  const lines = [
    `curl -i${sent.method === 'POST' ? '' : ` -X ${sent.method}`} ${quoted(sent.url)}`,
    ...secret.map(([name, value]) => `-H "${name}: ${value}"`),
    ...sent.headers.map(([name, value]) => `-H ${headerText(name, value)}`),
    ...(sent.body === null ? [] : [`--data-binary ${bodyText(sent.body)}`]),
  ];
  const remark = sent.remark === undefined ? '' : `   # ${sent.remark}`;
  return lines.join(' \\\n    ') + remark;
}

/** curl leaves a header out that is empty, unless a semicolon stands in the colon's place. */
function headerText(name: string, value: string): string {
  return value.trim() === '' && !value.includes('\t')
    ? quoted(`${name};`)
    : escaped(Buffer.from(`${name}: ${value}`, 'latin1'));
}

function bodyText({ bytes, shell }: Body): string {
  return shell ?? escaped(bytes);
}

function escaped(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (/^[\x20-\x7e]*$/.test(text)) return quoted(text);
  const letters = [...text].map((letter) => {
    if (letter === "'" || letter === '\\') return `\\${letter}`;
    return /[\x20-\x7e]/.test(letter)
      ? letter
      : `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `$'${letters.join('')}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
