import { byPush, type Initiator, platform } from '../domain/access/initiator.ts';
import type { Principal } from './route.ts';

/** The initiator of what a request does. Only git hosts sign requests, for pushes; public routes act for nobody. */
export function initiatorOf(principal: Principal): Initiator {
  switch (principal.kind) {
    case 'key':
      return principal.initiator;
    case 'operator':
      return { type: 'operator', id: principal.row?.id ?? null, name: null };
    case 'signed':
      return byPush();
    case 'public':
      return platform;
  }
}
