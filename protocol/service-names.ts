/** The host names of a service, as the control plane tells them to its host. */
import { z } from 'zod';

export const serviceNamesSchema = z.object({
  /** Raised by every change: a host keeps the names of the highest revision that it was told. */
  revision: z.number().int().min(0),
  names: z.array(
    z.object({
      hostname: z.string(),
      /** A customer's own name, whose DNS the host looks at; others are the platform's. */
      isCustom: z.boolean(),
      /** May have a certificate: a name of the platform, or one whose DNS points at the host. */
      isActive: z.boolean(),
    }),
  ),
  /** The address that custom names are to point at, if the operator has set one; null: the host's own. */
  publicIp: z.string().nullable(),
});

export type ServiceNames = z.infer<typeof serviceNamesSchema>;
