/**
 * References in values of environment variables: `${<service>.<VAR>}` to a variable of a service in the same project (matched on its
 * slug, then on its name), `${VAR}` to one of the own service. What they refer to may itself refer on, to any depth. `$${` is a literal
 * `${`. References of a cycle and those to nothing stay as they are written, with a warning; any other `${...}` is plain text.
 */
import { dependencyOrder } from './dependency-order.ts';

/** A service of the project, in the order of creation. */
export interface NamedService {
  id: string;
  slug: string;
  name: string;
}

/** One variable of one service. */
export interface VariableRef {
  serviceId: string;
  key: string;
}

export type ValuePart =
  | { type: 'text'; text: string }
  /** `service` null: the own one. `text`: as written. */
  | { type: 'reference'; service: string | null; key: string; text: string };

/** A value may grow by its references to this length; more stays as written. The same ceiling as for a single value. */
export const resolvedCharsMax = 64 * 1024;
/** All resolved values of one resolution: values that double at each step must not fill memory, a frame or a row of D1 (2 MB). */
export const resolvedTotalCharsMax = 512 * 1024;

const token = /\$\$\{|\$\{(?:([^{}$]+)\.)?([A-Z_][A-Z0-9_]*)\}/g;

/** Splits a value at its references. */
export function parseValue(value: string): ValuePart[] {
  const parts: ValuePart[] = [];
  let end = 0;
  for (const match of value.matchAll(token)) {
    if (match.index > end) parts.push({ type: 'text', text: value.slice(end, match.index) });
    const [text, service, key] = match;
    parts.push(
      key === undefined
        ? { type: 'text', text: '${' }
        : { type: 'reference', service: service ?? null, key, text },
    );
    end = match.index + text.length;
  }
  if (end < value.length) parts.push({ type: 'text', text: value.slice(end) });
  return parts;
}

/** The service that a reference names from within `ownId`; undefined when there is none. */
export function referencedService(
  services: readonly NamedService[],
  ownId: string,
  name: string | null,
): NamedService | undefined {
  if (name === null) return services.find(({ id }) => id === ownId);
  return services.find(({ slug }) => slug === name) ?? services.find((service) => service.name === name);
}

/** Variables by service id and key: at least all that the own ones lead to. */
export type KnownValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface Resolution {
  /** The own service's variables. */
  values: Map<string, string>;
  /** Sentences about references that stayed as written. */
  warnings: string[];
}

/** Resolves the variables of `ownId`. */
export function resolveReferences(
  ownId: string,
  services: readonly NamedService[],
  known: KnownValues,
): Resolution {
  const graph = readGraph(ownId, services, known);
  const { order, component } = dependencyOrder([...graph.keys()], (id) => targetsOf(graph.get(id)));
  const resolved = new Map<string, string>();
  const warnings: string[] = [];
  let budget = resolvedTotalCharsMax;
  // Each one comes after those that it refers to, so a single pass resolves all.
  for (const id of order) {
    const node = graph.get(id);
    if (!node) continue;
    const textOf = (target: string): string | undefined =>
      component.get(target) === component.get(id) ? undefined : resolved.get(target);
    const { text, reasons } = fillIn(node, textOf, budget);
    const label = node.serviceId === ownId ? node.key : `${node.serviceSlug}.${node.key}`;
    warnings.push(...reasons.map((reason) => `${label}: ${reason}.`));
    resolved.set(id, text);
    budget -= text.length;
  }
  const keys = [...(known.get(ownId)?.keys() ?? [])];
  return { values: new Map(keys.map((key) => [key, resolved.get(idOf(ownId, key)) ?? ''])), warnings };
}

/**
 * Puts the values of a variable's references in their places.
 * @param textOf undefined for a target on a common cycle.
 * @returns why something stays as written, a reason each.
 */
function fillIn(
  node: Node,
  textOf: (target: string) => string | undefined,
  budget: number,
): { text: string; reasons: string[] } {
  const reasons: string[] = [];
  const texts = node.parts.map((part) => {
    if (part.type === 'text') return part.text;
    const value = part.target === null ? undefined : textOf(part.target);
    if (value !== undefined) return value;
    const reason = part.target === null ? part.missing : 'it leads back to itself';
    reasons.push(`${part.text} stays as written, ${reason}`);
    return part.text;
  });
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const hasGrown = length > node.written.length;
  if (hasGrown && length > resolvedCharsMax) {
    return asWritten(node, `it would be longer than ${resolvedCharsMax} characters`);
  }
  if (hasGrown && length > budget)
    return asWritten(node, 'the references of this service make too much text');
  return { text: texts.join(''), reasons };
}

function asWritten(node: Node, reason: string): { text: string; reasons: string[] } {
  return { text: node.written, reasons: [`the value stays as written, ${reason}`] };
}

type ReferencePart = {
  type: 'reference';
  text: string;
  /** Id of the variable; null when there is none. */
  target: string | null;
  /** Why there is none. */
  missing: string;
};

interface Node {
  serviceId: string;
  serviceSlug: string;
  key: string;
  written: string;
  parts: ({ type: 'text'; text: string } | ReferencePart)[];
}

/** The own variables and all that they lead to. */
function readGraph(ownId: string, services: readonly NamedService[], known: KnownValues): Map<string, Node> {
  const graph = new Map<string, Node>();
  const open: VariableRef[] = [...(known.get(ownId)?.keys() ?? [])].map((key) => ({ serviceId: ownId, key }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { serviceId, key } = next;
    const written = known.get(serviceId)?.get(key);
    if (written === undefined || graph.has(idOf(serviceId, key))) continue;
    const parts = parseValue(written).map((part) => {
      if (part.type === 'text') return part;
      const service = referencedService(services, serviceId, part.service);
      const target =
        service && known.get(service.id)?.has(part.key) ? { serviceId: service.id, key: part.key } : null;
      if (target) open.push(target);
      return {
        type: 'reference' as const,
        text: part.text,
        target: target && idOf(target.serviceId, target.key),
        missing: service
          ? `the service "${service.slug}" has no variable ${part.key}`
          : `the project has no service "${part.service}"`,
      };
    });
    const serviceSlug = services.find(({ id }) => id === serviceId)?.slug ?? serviceId;
    graph.set(idOf(serviceId, key), { serviceId, serviceSlug, key, written, parts });
  }
  return graph;
}

function targetsOf(node: Node | undefined): string[] {
  return (node?.parts ?? []).flatMap((part) =>
    part.type === 'reference' && part.target !== null ? [part.target] : [],
  );
}

/** Neither ids nor keys hold a dot. */
function idOf(serviceId: string, key: string): string {
  return `${serviceId}.${key}`;
}
