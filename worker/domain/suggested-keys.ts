/** Keys of variables that a service may want: those that its repository names, and those of its framework or engine. */
import { databaseEngines, type EngineName } from './database-engines.ts';

export interface KeySuggestion {
  key: string;
  label: string;
}

/** What programs of a framework commonly read. Ids are those that the analyzer detects. */
const frameworkKeys: Readonly<Record<string, readonly KeySuggestion[]>> = {
  django: [
    { key: 'DJANGO_SETTINGS_MODULE', label: 'Django: module of the settings, such as shop.settings' },
    { key: 'SECRET_KEY', label: 'Django: secret that signs sessions, where the settings read it' },
    { key: 'ALLOWED_HOSTS', label: 'Django: host names that are answered, where the settings read them' },
  ],
  fastapi: [{ key: 'ROOT_PATH', label: 'FastAPI: path below which a proxy serves the app' }],
  flask: [
    { key: 'FLASK_APP', label: 'Flask: module of the app' },
    { key: 'SECRET_KEY', label: 'Flask: secret that signs sessions, where the app reads it' },
  ],
  laravel: [
    { key: 'APP_KEY', label: 'Laravel: encryption key, from "php artisan key:generate --show"' },
    { key: 'APP_ENV', label: 'Laravel: "production"' },
    { key: 'APP_URL', label: 'Laravel: address of the app' },
  ],
  nestjs: [{ key: 'NODE_ENV', label: 'Node.js: "production"' }],
  nextjs: [
    { key: 'NEXT_TELEMETRY_DISABLED', label: 'Next.js: "1" sends no telemetry' },
    { key: 'AUTH_SECRET', label: 'Auth.js: secret that signs sessions' },
  ],
  nuxt: [{ key: 'NUXT_APP_BASE_URL', label: 'Nuxt: path below which the app is served' }],
  phoenix: [
    { key: 'SECRET_KEY_BASE', label: 'Phoenix: secret that signs sessions, from "mix phx.gen.secret"' },
    { key: 'PHX_HOST', label: 'Phoenix: host name of the app' },
  ],
  rails: [
    { key: 'RAILS_MASTER_KEY', label: 'Rails: opens config/credentials.yml.enc' },
    { key: 'SECRET_KEY_BASE', label: 'Rails: secret that signs sessions' },
  ],
  remix: [{ key: 'SESSION_SECRET', label: 'Remix: secret that signs sessions' }],
  spring: [{ key: 'SPRING_PROFILES_ACTIVE', label: 'Spring: profiles to run with' }],
  sveltekit: [{ key: 'ORIGIN', label: 'SvelteKit: address of the app, as adapter-node needs it' }],
};

/**
 * What a service lacks.
 * @param service `framework` as detected; `suggestedKeys` as its repository names them
 * @param present keys that it has
 */
export function suggestedKeysFor(
  service: { framework: string | null; suggestedKeys: readonly KeySuggestion[]; engine: EngineName | null },
  present: ReadonlySet<string>,
): KeySuggestion[] {
  const { framework, engine } = service;
  const ofEngine = engine ? databaseEngines[engine].variables : [];
  const ofFramework =
    framework !== null && Object.hasOwn(frameworkKeys, framework) ? frameworkKeys[framework] : [];
  const all = [
    ...service.suggestedKeys,
    ...(ofFramework ?? []),
    ...ofEngine.map(({ key, label }) => ({
      key,
      label: engine ? `${databaseEngines[engine].title}: ${label}` : label,
    })),
  ];
  // The repository's own words go before those of the tables.
  const seen = new Set(present);
  return all.flatMap(({ key, label }) => (seen.size < seen.add(key).size ? [{ key, label }] : []));
}
