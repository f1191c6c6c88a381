/** A login at a registry of container images. */
import { z } from 'zod';

/** The registry of images whose names start with no host, in every spelling of it (distribution/reference, `splitDockerDomain`). */
export const dockerHub = 'docker.io';
const hubNames: ReadonlySet<string> = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io']);

export const registryLoginSchema = z.object({
  id: z.string(),
  /** Host with port, as names of images write it; Docker Hub is `docker.io`. */
  host: z.string(),
  username: z.string(),
  password: z.string(),
});

export type RegistryLogin = z.infer<typeof registryLoginSchema>;

/** @param host of an image's name; undefined: it has none */
export function registryName(host: string | undefined): string {
  const name = (host ?? dockerHub).toLowerCase();
  return hubNames.has(name) ? dockerHub : name;
}
