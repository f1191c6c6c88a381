/** Finds references that resolve to an address which does not exist where the service runs: the private one of a service on another host. */
import { publicSuffix } from './database-variables.ts';
import {
  type KnownValues,
  type NamedService,
  partsOf,
  publicUrlKey,
  referencedService,
  type VariableRef,
  warningsMax,
} from './environment-references.ts';
import { referenceTo } from './value-parts.ts';

/**
 * Follows the references of the service's own variables, to any depth.
 * @returns warnings that say what to do, each once, at most `warningsMax`
 */
export function unreachableAddresses(
  ownId: string,
  services: readonly NamedService[],
  known: KnownValues,
): string[] {
  const byId = new Map(services.map((service) => [service.id, service]));
  const own = byId.get(ownId);
  if (own?.host === undefined) return [];
  const warnings = new Set<string>();
  const seen = new Set<string>();
  const open: VariableRef[] = [...(known.get(ownId)?.keys() ?? [])].map((key) => ({ serviceId: ownId, key }));
  for (let next = open.pop(); next && warnings.size < warningsMax; next = open.pop()) {
    const { serviceId, key } = next;
    const service = byId.get(serviceId);
    if (!service || seen.size === seen.add(`${serviceId}.${key}`).size) continue;
    const label = serviceId === ownId ? key : `${service.slug}.${key}`;
    for (const part of partsOf(service, key, known)) {
      const named = part.type === 'reference' && referencedService(services, serviceId, part.service);
      if (!named) continue;
      if (isElsewhere(named, part.key, own.host, known)) {
        warnings.add(`${label}: ${part.text} ${whatToDo(named, part.key)}`);
      }
      open.push({ serviceId: named.id, key: part.key });
    }
  }
  return [...warnings];
}

/** A stored variable of the same name takes precedence over the derived one, and may hold any address. */
function isElsewhere(
  { id, host, privateKeys }: NamedService,
  key: string,
  ownHost: string,
  known: KnownValues,
): boolean {
  return host !== ownHost && privateKeys?.has(key) === true && !known.get(id)?.has(key);
}

function whatToDo({ slug, host, derived, database }: NamedService, key: string): string {
  const move = `move this service to the host of "${slug}" ("runnerId": "${host}").`;
  const leads = `leads to "${slug}" on another host, where this service can't reach it:`;
  const openKey = database ? `${key}${publicSuffix}` : publicUrlKey;
  const isOpen = derived?.has(openKey) === true;
  if (!database && !isOpen) return `${leads} ${move}`;
  const opens = isOpen ? '' : `set "databasePublicEnabled" of "${slug}" to true and `;
  return `${leads} ${opens}use ${referenceTo(slug, openKey)}, or ${move}`;
}
