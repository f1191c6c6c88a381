/** The arguments that BuildKit gives every Dockerfile, for the one platform that a host builds for. */

/** As Docker calls it. */
export const ownArchitecture = () => (process.arch === 'x64' ? 'amd64' : process.arch);

/** Without TARGETVARIANT: what it holds on ARM depends on the version of Docker. */
export function platformArguments(): Map<string, string> {
  const values = { PLATFORM: `linux/${ownArchitecture()}`, OS: 'linux', ARCH: ownArchitecture() };
  return new Map(
    ['BUILD', 'TARGET'].flatMap((of) =>
      Object.entries(values).map(([name, value]): [string, string] => [of + name, value]),
    ),
  );
}
