import { connect } from 'node:net';

// A client process of the race. It opens its connections and sends every request but for the last byte,
// says so, and lets all of them go when it is told to: no request is a moment ahead of the others.

process.on('message', (message) => {
  if (message.kind === 'prepare') void prepare(message);
  else for (const { socket, last } of held) socket.write(last);
});

const held = [];

async function prepare({ url, apiKey, requests }) {
  const { hostname, port } = new URL(url);
  const answers = requests.map(({ key, body, path = '/v1/payments' }) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const bytes = Buffer.from(
      [
        `POST ${path} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        `Authorization: Bearer ${apiKey}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `Idempotency-Key: ${key}`,
        '',
        body,
      ].join('\r\n'),
    );
    held.push({ socket, last: bytes.subarray(-1) });
    const sent = new Promise((resolve) => socket.write(bytes.subarray(0, -1), resolve));
    return { sent, answer: read(socket) };
  });
  await Promise.all(answers.map(({ sent }) => sent));
  process.send({ kind: 'ready' });
  process.send({ kind: 'answers', answers: await Promise.all(answers.map((each) => each.answer)) });
  process.disconnect();
}

function read(socket) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head, text = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
      const replayed = /^idempotent-replayed: true/im.test(head);
      resolve({ status: Number(head.split(' ')[1]), replayed, text });
    });
  });
}
