/** Suggested variable keys for a service: keys that its repository mentions, and keys of its framework or engine. */
import { databaseEngines, type EngineName } from './database-engines.ts';

export interface KeySuggestion {
  key: string;
  label: string;
}

/** Variables that apps of a framework commonly read. Ids are the analyzer's. */
const frameworkKeys: Readonly<Record<string, readonly KeySuggestion[]>> = {
  django: [
    { key: 'DJANGO_SETTINGS_MODULE', label: 'Django: module of the settings, such as shop.settings' },
    { key: 'SECRET_KEY', label: 'Django: secret that signs sessions, if the settings read it' },
    { key: 'ALLOWED_HOSTS', label: 'Django: accepted host names, if the settings read them' },
  ],
  fastapi: [{ key: 'ROOT_PATH', label: 'FastAPI: path below which a proxy serves the app' }],
  flask: [
    { key: 'FLASK_APP', label: 'Flask: module of the app' },
    { key: 'SECRET_KEY', label: 'Flask: secret that signs sessions, if the app reads it' },
  ],
  laravel: [
    { key: 'APP_KEY', label: 'Laravel: encryption key, from "php artisan key:generate --show"' },
    { key: 'APP_ENV', label: 'Laravel: "production"' },
    { key: 'APP_URL', label: 'Laravel: URL of the app' },
  ],
  nestjs: [{ key: 'NODE_ENV', label: 'Node.js: "production"' }],
  nextjs: [
    { key: 'NEXT_TELEMETRY_DISABLED', label: 'Next.js: "1" turns telemetry off' },
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
  sveltekit: [{ key: 'ORIGIN', label: 'SvelteKit: URL of the app, for adapter-node' }],
};

/**
 * Suggests keys that a service does not have yet.
 * @param service `framework` as detected; `suggestedKeys` as found in its repository
 * @param present keys that the service already has
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
  // The repository's own labels take precedence over those of the tables.
  const seen = new Set(present);
  return all.flatMap(({ key, label }) => (seen.size < seen.add(key).size ? [{ key, label }] : []));
}
