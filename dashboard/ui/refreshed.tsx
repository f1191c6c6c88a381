/** That what is shown is renewed when it changes, or else its age; and a way to renew it. */
import { isLive } from '../api/changes.ts';
import { t } from '../text/text.ts';
import { ageText, now } from './age.tsx';

interface Query {
  dataUpdatedAt: number;
  isFetching: boolean;
  refetch(): Promise<unknown>;
}

/** @param props.isFollowed the stream of changes renews it; otherwise it has an age */
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
