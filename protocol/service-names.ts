/** The host names of a service, as the control plane sends them to its host. */
import { z } from 'zod';
import { idSchema } from './ids.ts';
import { trafficRulesSchema } from './traffic/traffic-rules.ts';

export const serviceNamesSchema = z.object({
  /** The tenant that the service belongs to. Absent: the default tenant, whose certificates are not limited. */
  tenantId: idSchema('tenant').optional(),
  /** Increased by every change; a host keeps the names of the highest revision. */
  revision: z.number().int().min(0),
  names: z.array(
    z.object({
      hostname: z.string(),
      /** True: a custom domain, whose DNS the host checks. False: a generated name. */
      isCustom: z.boolean(),
      /** May have a certificate: a generated name, or one whose DNS points to the host. */
      isActive: z.boolean(),
      /**
       * A certificate that the owner brought along; absent: an automatic one. `sealed` is an `ownCertificateSchema` for the host
       * (`requestPlace`, operation `ownCertificateOperation`); without it, a host that has this certificate keeps it.
       */
      certificate: z.object({ fingerprint: z.string(), sealed: z.string().nullish() }).optional(),
    }),
  ),
  /** The address that custom domains should point to, if the operator has set one; null: the host's own. */
  publicIp: z.string().nullable(),
  /** What applies to requests before they reach the app; null or absent: nothing. */
  rules: trafficRulesSchema.nullish(),
});

export type ServiceNames = z.infer<typeof serviceNamesSchema>;
