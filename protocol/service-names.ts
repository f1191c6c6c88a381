/** The host names of a service, as the control plane sends them to its host. */
import { z } from 'zod';
import { idSchema } from './ids.ts';
import { trafficRulesSchema } from './traffic/traffic-rules.ts';

export const serviceNamesSchema = z.object({
  /** The tenant that the service belongs to. Absent: the default tenant, whose certificates are not limited. */
  tenantId: idSchema('tenant').optional(),
  /** Increased by every change; a host keeps the names with the highest revision. */
  revision: z.number().int().min(0),
  names: z.array(
    z.object({
      hostname: z.string(),
      /** True: a custom domain, whose DNS the host checks. False: a generated name. */
      isCustom: z.boolean(),
      /** The name may have a certificate: it is a generated name, or its DNS points to the host. */
      isActive: z.boolean(),
      /**
       * The owner's own certificate; absent: an automatic one. `sealed` is an `ownCertificateSchema` for the host
       * (`requestPlace`, operation `ownCertificateOperation`). Without `sealed`, a host that has this certificate keeps it.
       */
      certificate: z.object({ fingerprint: z.string(), sealed: z.string().nullish() }).optional(),
    }),
  ),
  /** The address to which custom domains should point, if the operator has set one; null: the host's own address. */
  publicIp: z.string().nullable(),
  /** Rules for requests before they reach the app; null or absent: none. */
  rules: trafficRulesSchema.nullish(),
});

export type ServiceNames = z.infer<typeof serviceNamesSchema>;
