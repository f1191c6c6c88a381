/** Completes references while the user types: `${`, the name of a service, a dot, the name of one of its variables. */

interface Referable {
  serviceId: string;
  slug: string;
  keys: readonly string[];
}

interface Completion {
  /** The inserted text, such as `${db.DATABASE_URL}`, or `${db.` if the name of a variable still has to follow. */
  text: string;
  /** Whether the reference is then complete. */
  isWhole: boolean;
}

interface Completions {
  /** The start of the reference. The text from there to the cursor is replaced. */
  from: number;
  found: Completion[];
}

/** Users find more by typing. */
const shownMax = 8;
/** The unfinished reference at the cursor. `$${` is not a reference. */
const begun = /(?<!\$)(?:\$\$)*(\$\{(?:([^{}$]*)\.)?([^{}$.]*))$/;
/** Names that exist only in references, of the service itself. */
const ownKeys = ['PUBLIC_URL', 'PUBLIC_HOST'];

/**
 * @param text of the value before the cursor
 * @param ownId the service of the value: its own variables need no service name
 * @param ownKey the variable itself, which can't refer to itself
 * @returns undefined if no reference is begun, or nothing matches
 */
export function completeReference(
  text: string,
  services: readonly Referable[],
  ownId: string,
  ownKey: string,
): Completions | undefined {
  const match = begun.exec(text);
  const [, written, service, typed = ''] = match ?? [];
  if (!match || written === undefined) return undefined;
  const found =
    service === undefined
      ? [...ownReferences(services, ownId, ownKey), ...ofServices(services, ownId)]
      : keysOf(services, service);
  const wanted = typed.toLowerCase();
  const ranked = found
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((one, other) => Number(begins(other.name, wanted)) - Number(begins(one.name, wanted)));
  if (ranked.length === 0) return undefined;
  const list = ranked
    .slice(0, shownMax)
    .map(({ text: completed, isWhole }) => ({ text: completed, isWhole }));
  return { from: text.length - written.length, found: list };
}

interface Named extends Completion {
  name: string;
}

const begins = (name: string, wanted: string) => name.toLowerCase().startsWith(wanted);

const whole = (key: string, service?: string): Named => ({
  name: key,
  text: service === undefined ? `\${${key}}` : `\${${service}.${key}}`,
  isWhole: true,
});

function ownReferences(services: readonly Referable[], ownId: string, ownKey: string): Named[] {
  const own = services.find(({ serviceId }) => serviceId === ownId)?.keys ?? [];
  return [...new Set([...own, ...ownKeys])].filter((key) => key !== ownKey).map((key) => whole(key));
}

const ofServices = (services: readonly Referable[], ownId: string): Named[] =>
  services
    .filter(({ serviceId, keys }) => serviceId !== ownId && keys.length > 0)
    .map(({ slug }) => ({ name: slug, text: `\${${slug}.`, isWhole: false }));

const keysOf = (services: readonly Referable[], slug: string): Named[] =>
  (services.find((one) => one.slug === slug)?.keys ?? []).map((key) => whole(key, slug));
