/** The environment of programs that distributions keep outside of an ordinary user's path. */
export const withSbin = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...env,
  PATH: `${env.PATH ?? ''}:/usr/sbin:/sbin`,
});
