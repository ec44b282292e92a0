import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Bytes, and how a shell makes them where they cannot be pasted. */
export type Body = { bytes: Buffer; shell?: string };
export type Headers = [name: string, value: string][];

export type Sent = {
  method: string;
  url: string;
  /** Without the credential: what is printed must not hold one. */
  headers: Headers;
  credential: Credential;
  body: Body | null;
  /** Said behind the command: what curl alone does not show. */
  remark?: string;
};

/** Whose credential a request carries. Printed as a shell variable, never as its value. */
export type Credential = 'KEY' | 'OTHER_KEY' | 'ROTATED_KEY' | 'none';

export type Answer = { status: number; headers: Record<string, string>; bytes: Buffer };

/** Where the client hangs up: so long after the last byte was sent, or in the middle of the body. */
export type Cut = { afterMs: number } | 'half_body';

/** Sends one request on a connection of its own. Null: no answer came, for the reason that `lost` is told. */
export function sendOnWire(
  sent: Sent,
  secret: Headers,
  { patienceMs, cut, lost }: { patienceMs: number; cut?: Cut; lost?: (why: string) => void },
): Promise<Answer | null> {
  const { body } = sent;
  const headers = [...secret, ...sent.headers];
  if (body !== null) headers.push(['Content-Length', String(body.bytes.length)]);
  headers.push(['Host', new URL(sent.url).host]);
  return new Promise((resolve) => {
    const request = (sent.url.startsWith('https:') ? httpsRequest : httpRequest)(sent.url, {
      method: sent.method,
      // A flat list keeps names as they are and lets one come twice. Node takes it; its types do not know.
      headers: headers.flat() as never,
      agent: false,
    });
    const timer = setTimeout(() => giveUp(`no answer within ${patienceMs / 1000} s`), patienceMs);
    const giveUp = (why: string) => {
      clearTimeout(timer);
      request.destroy();
      lost?.(why);
      resolve(null);
    };
    request.on('error', (error) => giveUp(error.message));
    request.on('response', (response) => {
      readWhole(response).then(
        (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        (error: Error) => giveUp(`the answer broke off: ${error.message}`),
      );
    });
    write(request, body, cut, giveUp);
  });
}

function write(
  request: ClientRequest,
  body: Body | null,
  cut: Cut | undefined,
  giveUp: (why: string) => void,
): void {
  const bytes = body?.bytes ?? Buffer.alloc(0);
  if (cut === 'half_body') {
    request.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => giveUp('cut on purpose'));
  } else {
    if (cut) request.on('finish', () => setTimeout(giveUp, cut.afterMs, 'cut on purpose'));
    request.end(bytes);
  }
}

async function readWhole(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    bytes: Buffer.concat(chunks),
  };
}
