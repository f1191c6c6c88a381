/**
 * What a package manager tells the scripts that it runs. The final image has it too, because scripts are started without a package manager
 * there, and apps read their own version from it.
 */
import semver from 'semver';
import type { PackageJson } from './package-json.ts';
import type { PackageManager } from './package-manager.ts';

/**
 * https://docs.npmjs.com/cli/using-npm/scripts#environment. Yarn, pnpm and Bun set the same variables.
 * @param nodeVersion the start of the image's tag
 */
export function scriptEnvironment(
  { name, version }: Pick<PackageJson, 'name' | 'version'>,
  { name: manager, tool }: Pick<PackageManager, 'name' | 'tool'>,
  nodeVersion: string,
): Record<string, string> {
  const program = manager === 'yarn-berry' ? 'yarn' : manager;
  // As precise as the plan is: `yarn/4.11.0`, `pnpm/10`. pnpm and Yarn write "?" for the version of npm, which they do not know either.
  const programVersion = /.@(\d[\w.-]*)$/.exec(tool ?? '')?.[1] ?? '?';
  const others = program === 'npm' ? '' : ' npm/?';
  return {
    ...(name && /^[@\w./-]+$/.test(name) ? { npm_package_name: name } : {}),
    ...(version && semver.valid(version) ? { npm_package_version: version } : {}),
    npm_config_user_agent: `${program}/${programVersion}${others} node/v${nodeVersion} linux`,
  };
}
