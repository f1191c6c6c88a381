import { eq } from 'drizzle-orm';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { services } from '../schema/services.ts';
import type { Database } from '../sql/database.ts';

/** @param rules null: none */
export function setTrafficRules(db: Database, serviceId: string, rules: TrafficRules | null, now: number) {
  return db.update(services).set({ trafficRules: rules, updatedAt: now }).where(eq(services.id, serviceId));
}
