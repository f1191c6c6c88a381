/** Debian packages that a project needs and its manifests don't name: the variable `APT_PACKAGES`. */
import type { BuildPlan } from './build-plan.ts';
import { AnalyzerError, type BuildOverrides } from './provider.ts';

/** Adds them to the build and to what runs. @throws AnalyzerError for a text that is no name of a package */
export function withDebianPackages(plan: BuildPlan, { env }: BuildOverrides): BuildPlan {
  const names = (env.APT_PACKAGES ?? '').split(/[\s,]+/).filter((name) => name !== '');
  // https://www.debian.org/doc/debian-policy/ch-controlfields.html#source
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name));
  if (wrong !== undefined) {
    throw new AnalyzerError(
      `The variable APT_PACKAGES contains ${JSON.stringify(wrong)}: give names of Debian packages, separated by spaces.`,
    );
  }
  if (names.length === 0) return plan;
  const { build, output, notes } = plan;
  return {
    ...plan,
    notes: [...notes, `Debian packages: ${names.join(', ')}`],
    build: { ...build, packages: [...new Set([...build.packages, ...names])] },
    output:
      output.type === 'run' ? { ...output, packages: [...new Set([...output.packages, ...names])] } : output,
  };
}
