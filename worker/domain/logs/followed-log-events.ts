/** The text of a followed search as clients receive it. The escaping rules are those of log-events. */
import { type FoundLine, serviceOfLog } from '../../../protocol/logs/kept-logs.ts';
import { type LogPositions, logCursor } from './log-cursor.ts';

/** A found line as the API shows it. */
export const foundEntry = ({ id, serviceId, deploymentId, stream, level, replica, line }: FoundLine) => ({
  ...{ id, serviceId: serviceOfLog(serviceId), deploymentId, stream, level },
  ...(replica !== undefined && { replica }),
  line: line.toWellFormed(),
  createdAt: new Date(id / 1000).toISOString(),
});

/** Lines with the place after them in one event: a reader has all of them, or none and gets them again. */
export const linesEvent = (lines: readonly FoundLine[], next: LogPositions): string =>
  `event: lines\nid: ${logCursor(next)}\ndata: ${JSON.stringify(lines.map(foundEntry))}\n\n`;
