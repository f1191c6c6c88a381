import { t } from '../text/text.ts';
import { Button } from './button.tsx';
import { Show } from './show.ts';

/** Ends the session of another browser. */
export function EndSession(props: {
  session: { id: string; name: string; isCurrent: boolean };
  end(sessionId: string): Promise<unknown>;
}) {
  return (
    <Show when={!props.session.isCurrent}>
      <Button
        class="small"
        aria-label={t.settings.endOther(props.session.name)}
        onClick={() => void props.end(props.session.id)}
      >
        {t.settings.end}
      </Button>
    </Show>
  );
}
