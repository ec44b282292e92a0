import type { KeyState, PaymentStatus, State } from './state.js';

/** Which state may follow which, as sorted lists: what the search has walked, and nothing that somebody thought of. */
export type AllowedGraph = { payment: Edges; key: Edges };
export type Edges = Record<string, string[]>;

/** Collects the edges that a search walks. */
export class GraphSeen {
  private readonly payment = new Set<string>();
  private readonly key = new Set<string>();

  note(before: State, after: State): void {
    if (before.payment !== after.payment) this.payment.add(edge(before.payment, after.payment));
    if (before.key !== after.key) this.key.add(edge(before.key, after.key));
  }

  seen(): AllowedGraph {
    return { payment: edgesOf(this.payment), key: edgesOf(this.key) };
  }
}

/** The graphs of several searches are one. */
export function joined(graphs: readonly AllowedGraph[]): AllowedGraph {
  const join = (part: keyof AllowedGraph): Edges =>
    edgesOf(
      new Set(
        graphs.flatMap((graph) =>
          Object.entries(graph[part]).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`)),
        ),
      ),
    );
  return { payment: join('payment'), key: join('key') };
}

function edge(from: PaymentStatus | KeyState, to: PaymentStatus | KeyState): string {
  return `${from} ${to}`;
}

function edgesOf(pairs: ReadonlySet<string>): Edges {
  const edges: Edges = {};
  for (const pair of [...pairs].sort()) {
    const [from = '', to = ''] = pair.split(' ');
    (edges[from] ??= []).push(to);
  }
  return edges;
}
