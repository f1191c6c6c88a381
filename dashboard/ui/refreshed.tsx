/** Shows that the data is live, or else its age; and a button to renew it. */
import { isLive } from '../api/changes.ts';
import { t } from '../text/text.ts';
import { ageText, now } from './age.tsx';

interface Query {
  dataUpdatedAt: number;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

/** @param props.isFollowed the stream of changes renews the data; otherwise its age is shown */
export function Refreshed(props: { query: Query; isFollowed?: boolean }) {
  const age = () =>
    ageText(Math.max(0, Math.max(now(), props.query.dataUpdatedAt) - props.query.dataUpdatedAt));
  return (
    <button
      type="button"
      class="link quiet-text"
      aria-busy={props.query.isFetching ? 'true' : undefined}
      onClick={() => void props.query.refetch()}
    >
      {props.isFollowed && isLive() ? t.live : t.refreshed(age())}
    </button>
  );
}
