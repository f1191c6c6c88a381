/** Where a variable of a service applies: in its builds, in its containers, or in both. */
import { z } from 'zod';

export const variableScopes = ['both', 'build', 'run'] as const;
export type VariableScope = (typeof variableScopes)[number];

const values = z.record(z.string(), z.string());

/** The variables of a service, with references resolved. Builds differ from containers only by what `buildOnly` and `runOnly` name. */
export const scopedVariablesSchema = z.object({
  /** What containers get: the variables with the scope `both` or `run`. Empty for data jobs. */
  env: values,
  /** Variables with the scope `build`. Absent: none. */
  buildOnly: values.optional(),
  /** Keys in `env` with the scope `run`. Absent: none. */
  runOnly: z.array(z.string()).optional(),
});

/** Runners get it, and snapshots of deployments contain it. */
export type ScopedVariables = z.infer<typeof scopedVariablesSchema>;

/** The variables that builds get, and everything that is decided before there is an image. */
export function buildEnvOf({ env, buildOnly, runOnly = [] }: ScopedVariables): Record<string, string> {
  const withheld = new Set(runOnly);
  const shared = Object.entries(env).filter(([key]) => !withheld.has(key));
  return { ...Object.fromEntries(shared), ...buildOnly };
}

/** All variables, for what must know each value, such as masks of secrets. */
export const allVariables = ({ env, buildOnly }: ScopedVariables): Record<string, string> => ({
  ...env,
  ...buildOnly,
});
