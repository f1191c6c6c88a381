/**
 * References in values of environment variables: `${<service>.<VAR>}` to a variable of a service in the same project (matched on its
 * slug, then on its name), `${VAR}` to one of the own service. What they refer to may itself refer on, to any depth. `$${` is a literal
 * `${`. References of a cycle and those to nothing stay as they are written, with a warning; any other `${...}` is plain text.
 */
import { dependencyOrder } from './dependency-order.ts';
import { parseValue, percentEncoded, type Reference, type ValuePart } from './value-parts.ts';

/** A service of the project, in the order of creation. */
export interface NamedService {
  id: string;
  slug: string;
  name: string;
  /** Variables that exist for references alone (domain/database-variables); a stored one of the same name goes before. */
  derived?: ReadonlyMap<string, readonly ValuePart[]>;
}

/** One variable of one service. */
export interface VariableRef {
  serviceId: string;
  key: string;
}

/** A value may grow by its references to this length; more stays as written. The same ceiling as for a single value. */
export const resolvedCharsMax = 64 * 1024;
/** All resolved values of one resolution: values that double at each step must not fill memory, a frame or a row of D1 (2 MB). */
export const resolvedTotalCharsMax = 512 * 1024;

/** Warnings of one resolution: they go into answers and logs, and one value holds thousands of references. */
export const warningsMax = 50;

/** The service that a reference names from within `ownId`; undefined when there is none. */
export function referencedService(
  services: readonly NamedService[],
  ownId: string,
  name: string | null,
): NamedService | undefined {
  if (name === null) return services.find(({ id }) => id === ownId);
  return services.find(({ slug }) => slug === name) ?? services.find((service) => service.name === name);
}

/** Values as stored, by service id and key: at least all that the own ones lead to. Null: there is one, but it does not decrypt. */
export type KnownValues = ReadonlyMap<string, ReadonlyMap<string, string | null>>;

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
    warnings.push(...Array.from(reasons, (reason) => `${label}: ${reason}.`));
    resolved.set(id, text);
    budget -= text.length;
  }
  const keys = [...(known.get(ownId)?.keys() ?? [])];
  return {
    values: new Map(keys.map((key) => [key, resolved.get(idOf(ownId, key)) ?? ''])),
    warnings: firstOf(warnings),
  };
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
): { text: string; reasons: Set<string> } {
  const reasons = new Set<string>();
  const texts = node.parts.map((part) => {
    if (part.type === 'text') return part.text;
    const value = part.target === null ? undefined : textOf(part.target);
    if (value !== undefined) return part.encoded ? percentEncoded(value) : value;
    const reason = part.target === null ? part.missing : 'it leads back to itself';
    reasons.add(`${part.text} stays as written, ${reason}`);
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

function asWritten(node: Node, reason: string): { text: string; reasons: Set<string> } {
  return { text: node.written, reasons: new Set([`the value stays as written, ${reason}`]) };
}

function firstOf(warnings: string[]): string[] {
  if (warnings.length <= warningsMax) return warnings;
  return [...warnings.slice(0, warningsMax), `There are ${warnings.length - warningsMax} more warnings.`];
}

interface ResolvedReference extends Reference {
  /** Id of the variable; null when there is none. */
  target: string | null;
  /** Why there is none. */
  missing: string;
}

interface Node {
  serviceId: string;
  serviceSlug: string;
  key: string;
  written: string;
  parts: (Exclude<ValuePart, Reference> | ResolvedReference)[];
}

/** The own variables and all that they lead to. */
function readGraph(ownId: string, services: readonly NamedService[], known: KnownValues): Map<string, Node> {
  const byId = new Map(services.map((service) => [service.id, service]));
  const graph = new Map<string, Node>();
  const open: VariableRef[] = [...(known.get(ownId)?.keys() ?? [])].map((key) => ({ serviceId: ownId, key }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { serviceId, key } = next;
    const id = idOf(serviceId, key);
    const service = byId.get(serviceId) ?? { id: serviceId, slug: serviceId, name: serviceId };
    if (graph.has(id) || !canBeRead(service, key, known)) continue;
    const parts = partsOf(service, key, known).map((part) => {
      if (part.type === 'text') return part;
      const named = referencedService(services, serviceId, part.service);
      const target =
        named && canBeRead(named, part.key, known) ? { serviceId: named.id, key: part.key } : null;
      if (target) open.push(target);
      return {
        ...part,
        target: target && idOf(target.serviceId, target.key),
        missing: whyMissing(named, part, known),
      };
    });
    const written = known.get(serviceId)?.get(key) ?? parts.map((part) => part.text).join('');
    graph.set(id, { serviceId, serviceSlug: service.slug, key, written, parts });
  }
  return graph;
}

/** What a variable of a service is made of; empty when there is none. */
export function partsOf(
  service: Pick<NamedService, 'id' | 'derived'>,
  key: string,
  known: KnownValues,
): readonly ValuePart[] {
  const stored = known.get(service.id)?.get(key);
  return stored === undefined ? (service.derived?.get(key) ?? []) : parseValue(stored ?? '');
}

function canBeRead(service: Pick<NamedService, 'id' | 'derived'>, key: string, known: KnownValues): boolean {
  const stored = known.get(service.id)?.get(key);
  return stored === undefined ? service.derived?.has(key) === true : stored !== null;
}

function whyMissing(
  service: NamedService | undefined,
  { service: name, key }: Reference,
  known: KnownValues,
): string {
  if (!service) return `the project has no service "${name}"`;
  const isUnreadable = known.get(service.id)?.get(key) === null;
  return isUnreadable
    ? `the variable ${key} of the service "${service.slug}" does not decrypt`
    : `the service "${service.slug}" has no variable ${key}`;
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
