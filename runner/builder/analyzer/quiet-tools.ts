/**
 * Switches off what tools print about themselves in each build: newer versions, requests for money, telemetry, and warnings that the build
 * runs as root. Errors, warnings about the app and audits stay.
 */
import type { BuildStep } from './build-plan.ts';

/** The switches of each family, by the commands that use it. */
const families: [uses: RegExp, switches: Readonly<Record<string, string>>][] = [
  [
    /\b(?:npm|npx|pnpm|yarn|bun|node|nx|turbo)\b/,
    {
      // npm and pnpm up to 10; pnpm from 11 on; packages that ask for money after their install. None for Yarn: from version 2 on it
      // takes each variable that begins with YARN_ for a setting, and refuses settings of Yarn 1.
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
      NPM_CONFIG_FUND: 'false',
      PNPM_CONFIG_UPDATE_NOTIFIER: 'false',
      ADBLOCK: '1',
      DISABLE_OPENCOLLECTIVE: '1',
      BROWSERSLIST_IGNORE_OLD_DATA: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      NEXT_TELEMETRY_DISABLED: '1',
      NUXT_TELEMETRY_DISABLED: '1',
      ASTRO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      NG_CLI_ANALYTICS: 'false',
      GATSBY_TELEMETRY_DISABLED: '1',
      STORYBOOK_DISABLE_TELEMETRY: '1',
      TURBO_TELEMETRY_DISABLED: '1',
      EXPO_NO_TELEMETRY: '1',
      CHECKPOINT_DISABLE: '1',
      STRAPI_TELEMETRY_DISABLED: 'true',
      MEDUSA_DISABLE_TELEMETRY: 'true',
    },
  ],
  [/\bdeno\b/, { DENO_NO_UPDATE_CHECK: '1' }],
  [
    /\b(?:pip|python|uv|poetry|pipenv|pdm)\b/,
    { PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_ROOT_USER_ACTION: 'ignore' },
  ],
  [
    /\b(?:bundle|gem|rake|rails)\b/,
    { BUNDLE_IGNORE_FUNDING_REQUESTS: 'true', BUNDLE_SILENCE_ROOT_WARNING: 'true' },
  ],
  [/\bcomposer\b/, { COMPOSER_FUND: '0' }],
  [/\bdotnet\b/, { DOTNET_NOLOGO: '1', DOTNET_CLI_TELEMETRY_OPTOUT: '1' }],
];

/**
 * The instructions for the build stage: one, or none. ENV would override an ARG, so what the user sets is left out.
 * @param variables names of the user's variables
 */
export function quietTools(steps: readonly BuildStep[], variables: readonly string[]): string[] {
  const commands = steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));
  const own = new Set(variables.map((name) => name.toUpperCase()));
  const switches = families
    .filter(([uses]) => commands.some((command) => uses.test(command)))
    .flatMap(([, values]) => Object.entries(values))
    .filter(([name]) => !own.has(name));
  return switches.length > 0 ? [`ENV ${switches.map(([name, value]) => `${name}=${value}`).join(' ')}`] : [];
}
