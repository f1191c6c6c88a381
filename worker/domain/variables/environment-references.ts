/**
 * Resolves references in environment variables: `${<service>.<VAR>}` refers to a variable of a service in the same project (matched by
 * slug, then by name), `${VAR}` to one of the service itself. Referenced values can contain references, to any depth. `$${` is a literal
 * `${`. References that form a cycle or have no target stay as written, with a warning; any other `${...}` is plain text.
 */
import { dependencyOrder } from '../values/dependency-order.ts';
import { parseValue, percentEncoded, type Reference, type ValuePart } from '../values/value-parts.ts';
import { isSecretByRule } from './secret-variables.ts';

/** A service of the project. Lists are in order of creation. */
export interface NamedService {
  id: string;
  slug: string;
  name: string;
  /** Variables that exist only for references (domain/database-variables). A stored variable with the same name takes precedence. */
  derived?: ReadonlyMap<string, readonly ValuePart[]>;
  /** The host of its next deployment. */
  host?: string;
  /** Keys of `derived` whose values contain the service's slug as a host name, which only services on the same host can reach. */
  privateKeys?: ReadonlySet<string>;
  /** Whether it sleeps when idle. Requests to its slug do not wake it up. */
  sleeps?: boolean;
  /** `null` if it is not a database. */
  database?: object | null;
}

/** The derived variable with a service's URL. */
export const publicUrlKey = 'PUBLIC_URL';

/** One variable of one service. */
export interface VariableRef {
  serviceId: string;
  key: string;
}

/** Maximum length of a resolved value, the same as for a stored value. A longer one stays as written. */
export const resolvedCharsMax = 64 * 1024;
/** Maximum length of all resolved values together: values that double at each reference must not fill memory, a frame or a D1 row (2 MB). */
export const resolvedTotalCharsMax = 512 * 1024;

/** Maximum number of warnings per resolution: one value can hold thousands of references, and warnings appear in replies and logs. */
export const warningsMax = 50;

/** The service to which a reference in service `ownId` refers; undefined if there is none. */
export function referencedService(
  services: readonly NamedService[],
  ownId: string,
  name: string | null,
): NamedService | undefined {
  if (name === null) return services.find(({ id }) => id === ownId);
  return services.find(({ slug }) => slug === name) ?? services.find((service) => service.name === name);
}

/** Stored values by service id and key, at least all values to which the service's own values refer. `null`: could not be decrypted. */
export type KnownValues = ReadonlyMap<string, ReadonlyMap<string, string | null>>;

/** The user's choices for stored variables, by service id and key; null or absent: the rule decides (domain/secret-variables). */
export type SecrecyChoices = ReadonlyMap<string, ReadonlyMap<string, boolean | null>>;

export interface Resolution {
  /** The service's own variables. */
  values: Map<string, string>;
  /** Keys of variables with a secret resolved value: they are secret themselves, or refer to a secret. */
  secretKeys: Set<string>;
  /** Warnings about references that stay as written. */
  warnings: string[];
}

/**
 * Resolves the variables of `ownId`.
 * @param choices choices for all services in `known`
 */
export function resolveReferences(
  ownId: string,
  services: readonly NamedService[],
  known: KnownValues,
  choices: SecrecyChoices,
): Resolution {
  const graph = readGraph(ownId, services, known);
  const { order, component } = dependencyOrder([...graph.keys()], (id) => targetsOf(graph.get(id)));
  const resolved = new Map<string, string>();
  const secrets = new Set<string>();
  const warnings: string[] = [];
  let budget = resolvedTotalCharsMax;
  // Each value is after those to which it refers, so one pass resolves all of them.
  for (const id of order) {
    const node = graph.get(id);
    if (!node) continue;
    const textOf = (target: string): string | undefined =>
      component.get(target) === component.get(id) ? undefined : resolved.get(target);
    const { text, reasons } = fillIn(node, textOf, budget);
    const label = node.serviceId === ownId ? node.key : `${node.serviceSlug}.${node.key}`;
    warnings.push(...Array.from(reasons, (reason) => `${label}: ${reason}.`));
    resolved.set(id, text);
    if (isSecret(node, text, choices, secrets)) secrets.add(id);
    budget -= text.length;
  }
  const keys = [...(known.get(ownId)?.keys() ?? [])];
  return {
    values: new Map(keys.map((key) => [key, resolved.get(idOf(ownId, key)) ?? ''])),
    secretKeys: new Set(keys.filter((key) => secrets.has(idOf(ownId, key)))),
    warnings: firstOf(warnings),
  };
}

/**
 * Whether a resolved value is secret. A choice covers the variable's own text only: a reference to a secret stays secret.
 * @param secrets ids of the secret variables among those resolved so far
 */
function isSecret(node: Node, text: string, choices: SecrecyChoices, secrets: ReadonlySet<string>): boolean {
  if (targetsOf(node).some((target) => secrets.has(target))) return true;
  const chosen = choices.get(node.serviceId)?.get(node.key) ?? null;
  return chosen ?? (isSecretByRule(node.key, node.written) || isSecretByRule(node.key, text));
}

/**
 * Replaces the references in a variable with their values.
 * @param textOf returns undefined for a target on a common cycle
 * @returns the text, and the reasons why references stay as written
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
    reasons.add(`${part.text} stays as written, because ${reason}`);
    return part.text;
  });
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const hasGrown = length > node.written.length;
  if (hasGrown && length > resolvedCharsMax) {
    return asWritten(node, `it would be longer than ${resolvedCharsMax} characters`);
  }
  if (hasGrown && length > budget)
    return asWritten(node, 'the resolved values of this service are too long in total');
  return { text: texts.join(''), reasons };
}

function asWritten(node: Node, reason: string): { text: string; reasons: Set<string> } {
  return { text: node.written, reasons: new Set([`the value stays as written, because ${reason}`]) };
}

function firstOf(warnings: string[]): string[] {
  if (warnings.length <= warningsMax) return warnings;
  return [...warnings.slice(0, warningsMax), `There are ${warnings.length - warningsMax} more warnings.`];
}

interface ResolvedReference extends Reference {
  /** Id of the target variable; null if there is none. */
  target: string | null;
  /** The reason for a missing target. */
  missing: string;
}

interface Node {
  serviceId: string;
  serviceSlug: string;
  key: string;
  written: string;
  parts: (Exclude<ValuePart, Reference> | ResolvedReference)[];
}

/** Builds the graph of the service's own variables and everything they refer to. */
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

/**
 * The parts of a service's variable; empty if it does not exist. If a stored variable refers to its own name, the derived variable is
 * meant: `PUBLIC_URL` may be set to `${PUBLIC_URL}`.
 */
export function partsOf(
  service: Pick<NamedService, 'id' | 'slug' | 'derived'>,
  key: string,
  known: KnownValues,
): readonly ValuePart[] {
  const stored = known.get(service.id)?.get(key);
  const derived = service.derived?.get(key) ?? [];
  if (stored === undefined) return derived;
  const isItself = (part: ValuePart) =>
    part.type === 'reference' && part.key === key && (part.service ?? service.slug) === service.slug;
  return parseValue(stored ?? '').flatMap((part) =>
    derived.length > 0 && isItself(part) ? derived : [part],
  );
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
  if (isUnreadable) return `the variable ${key} of the service "${service.slug}" can't be decrypted`;
  const missing = `the service "${service.slug}" has no variable ${key}`;
  const [url] = service.database && /UR[LI]$/.test(key) ? (service.derived?.keys() ?? []) : [];
  return url === undefined ? missing : `${missing} (its URL is ${url})`;
}

function targetsOf(node: Node | undefined): string[] {
  return (node?.parts ?? []).flatMap((part) =>
    part.type === 'reference' && part.target !== null ? [part.target] : [],
  );
}

/** Unambiguous, because neither ids nor keys contain a dot. */
function idOf(serviceId: string, key: string): string {
  return `${serviceId}.${key}`;
}
