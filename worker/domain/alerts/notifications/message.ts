/** The text of a notification about an event. */
import { type EventFacts, summaryOf, testEventType } from '../events.ts';
import { type Message, shortened } from './channel-kind.ts';

/** The reason of a failure can be a database's complete error; people read the first lines. */
const detailMax = 1_500;

export function messageOf(event: EventFacts): Message {
  const { type, error, projectName, createdAt } = event;
  const at = `${new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const summary =
    type === testEventType ? 'This is a test of this channel. No action is needed.' : summaryOf(event);
  // Some receivers always refuse half of a surrogate pair, which a host may report.
  return {
    summary: summary.toWellFormed(),
    detail: error && shortened(error, detailMax).toWellFormed(),
    footer: [projectName, type, at].filter(Boolean).join(' · ').toWellFormed(),
    isGood: /\.(recovered|restored|test|first_success|returned|resolved|woke)$/.test(type),
  };
}
