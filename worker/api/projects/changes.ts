/** The stream of changes: tells pages which services and projects have changed. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import {
  changedBetween,
  changeEvent,
  everything,
  type Marks,
  marksOf,
} from '../../domain/alerts/change-marks.ts';
import { absent } from '../../domain/errors.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { listChangeMarks, selectChangeMarks } from '../../store/alerts/change-mark-store.ts';
import { logReaderOf, tenantOfCallerStatements } from '../../usecases/tenant-of-caller.ts';
import { askedStream, askedStreamTiming, type News } from '../logs/asked-stream.ts';
import { takeFollowPlace } from '../logs/open-follows.ts';
import { changeEventSchema } from '../present/present-change-event.ts';

const query = z.strictObject({
  projectId: idSchema('project').optional().describe('Only this project; absent: all that the key sees.'),
});

/**
 * A change by another person appears within `idleMs`. A server on TCP notices that its client left only when it writes: the places of
 * a page that is opened again and again are released after a ping or two.
 */
const timing = { ...askedStreamTiming, idleMs: 3_000, pingMs: 3_000 };
/** Hexadecimal digits of a place in the stream. */
const placeLength = 24;

const follow = defineRoute({
  method: 'GET',
  path: '/api/changes/stream',
  access: 'read',
  summary:
    'Follow which services and projects change, as Server-Sent Events: current, changed, ping, status. Last-Event-ID resumes and misses nothing.',
  query,
  reads: (db, { tokenId, query: { projectId } }) => ({
    ...tenantOfCallerStatements(db, tokenId),
    rows: selectChangeMarks(db, tokenId, projectId),
  }),
  reply: 'stream',
  events: changeEventSchema,
  async handle({ deps, request, principal, query: { projectId }, read, stillAllowed }) {
    const { tokenId, countedAs } = keyOf(principal);
    const assertSeen = (isGone: boolean): void => {
      if (projectId !== undefined && isGone) throw absent('project');
    };
    assertSeen(read.rows.length === 0);
    const marks = marksOf(read.rows);
    const leave = takeFollowPlace(`changes ${projectId ?? ''}`, logReaderOf(countedAs, read));
    try {
      return askedStream<Marks>({
        first: { events: await firstEvent(marks, request), place: marks },
        async ask(before) {
          // The deletion of a project is reported as a change; the next poll then ends the stream.
          assertSeen(before.size === 0);
          return newsSince(before, marksOf(await listChangeMarks(deps.db, tokenId, projectId)));
        },
        ...{ signal: request.signal, stillOpen: stillAllowed, now: deps.now, ended: leave, timing },
      });
    } catch (error) {
      leave();
      throw error;
    }
  },
});

async function firstEvent(now: Marks, request: Request): Promise<string> {
  const id = await placeOf(now);
  const last = request.headers.get('last-event-id');
  if (last === null || last === '' || last === id)
    return changeEvent('current', id, { projectIds: [], serviceIds: [] });
  return changeEvent('changed', id, everything(now));
}

async function newsSince(before: Marks, now: Marks): Promise<News<Marks>> {
  const difference = changedBetween(before, now);
  return { place: now, events: difference ? changeEvent('changed', await placeOf(now), difference) : '' };
}

async function placeOf(marks: Marks): Promise<string> {
  const text = [...marks].map(([id, { mark }]) => `${id} ${mark}`).sort();
  return (await sha256Hex(text.join('\n'))).slice(0, placeLength);
}

export const changeRoutes: AnyRoute[] = [follow];
