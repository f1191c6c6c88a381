/** The environment for programs that distributions install outside of an ordinary user's PATH. */
export const withSbin = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...env,
  PATH: `${env.PATH ?? ''}:/usr/sbin:/sbin`,
});
