/** Everything that a host keeps for services, so that the control plane can compare it with its rows after its database went back in time. */
import { z } from 'zod';

export const hostInventorySchema = z.object({
  /** Services with a route, a container, a data volume or a backup on the host. */
  services: z.array(
    z.object({
      serviceId: z.string(),
      /** Null: only a static site or backups are left, which don't name it. */
      projectId: z.string().nullable(),
      /** The deployment that serves; null: none. */
      deploymentId: z.string().nullable(),
      isRunning: z.boolean(),
      /** The port that its route or container has on the host; 0: none. */
      hostPort: z.number().int(),
      hostnames: z.array(z.string()),
      volumes: z.array(z.string()),
      /** Ids of the complete backup files. */
      backups: z.array(z.string()),
    }),
  ),
});

export type HostInventory = z.infer<typeof hostInventorySchema>;
export type InventoryService = HostInventory['services'][number];
