/**
 * Finds references to an address that does not answer at the service's host: the private address of a service on another host, or of a
 * sleeping service, which only requests through the proxy wake up.
 */
import { publicSuffix } from '../databases/database-variables.ts';
import { referenceTo } from '../values/value-parts.ts';
import {
  type KnownValues,
  type NamedService,
  partsOf,
  publicUrlKey,
  referencedService,
  type VariableRef,
  warningsMax,
} from '../variables/environment-references.ts';

/**
 * Follows the references of the service's own variables, to any depth.
 * @returns warnings with advice, each once, at most `warningsMax`, with the id of the address's service
 */
export function unreachableAddresses(
  ownId: string,
  services: readonly NamedService[],
  known: KnownValues,
): { text: string; leadsTo: string }[] {
  const byId = new Map(services.map((service) => [service.id, service]));
  const own = byId.get(ownId);
  if (own?.host === undefined) return [];
  const warnings = new Map<string, string>();
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
      if (isPrivate(named, part.key, known) && named.id !== ownId) {
        if (named.host !== own.host)
          warnings.set(`${label}: ${part.text} ${whatToDo(named, part.key)}`, named.id);
        else if (named.sleeps) warnings.set(`${label}: ${part.text} ${howToWake(named)}`, named.id);
      }
      open.push({ serviceId: named.id, key: part.key });
    }
  }
  return Array.from(warnings, ([text, leadsTo]) => ({ text, leadsTo }));
}

/** A stored variable of the same name takes precedence over the derived one, and may hold any address. */
function isPrivate({ id, privateKeys }: NamedService, key: string, known: KnownValues): boolean {
  return privateKeys?.has(key) === true && !known.get(id)?.has(key);
}

function howToWake({ slug, derived }: NamedService): string {
  const leads = `leads to "${slug}" by its internal name, which does not wake it when it sleeps:`;
  const stays = `set "sleepAfterMinutes" of "${slug}" to null.`;
  return derived?.has(publicUrlKey)
    ? `${leads} use ${referenceTo(slug, publicUrlKey)}, or ${stays}`
    : `${leads} ${stays}`;
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
