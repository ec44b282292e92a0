/**
 * Aborts at Ctrl-C, SIGTERM or a closed terminal, and from then on leaves the end to whoever listens: a second signal
 * changes nothing. It comes each time, since npm passes on what the terminal has sent to all of us already.
 */
export function stopAtSignals(say: () => void = () => {}): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) return;
      say();
      stopping.abort();
    });
  }
  return stopping.signal;
}
