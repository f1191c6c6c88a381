/** The arguments that BuildKit gives every Dockerfile, for the one platform that a host builds for. */

/** The architecture of this host, by Docker's name. */
export const ownArchitecture = () => (process.arch === 'x64' ? 'amd64' : process.arch);

/** TARGETVARIANT is left out: its value on ARM depends on the version of Docker. */
export function platformArguments(): Map<string, string> {
  const values = { PLATFORM: `linux/${ownArchitecture()}`, OS: 'linux', ARCH: ownArchitecture() };
  return new Map(
    ['BUILD', 'TARGET'].flatMap((of) =>
      Object.entries(values).map(([name, value]): [string, string] => [of + name, value]),
    ),
  );
}
