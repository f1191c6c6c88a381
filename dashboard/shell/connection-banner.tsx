/** Says when what is shown may be old, and why. */
import { answeredAt, connection, probe } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { ageText, now } from '../ui/age.tsx';
import { Button } from '../ui/button.tsx';
import { WarnIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';

export function ConnectionBanner() {
  const trouble = () => {
    const state = connection();
    return state === 'ok' ? undefined : t.connection[state];
  };
  return (
    <div role="status">
      <Show when={trouble()}>
        {(text) => (
          <div class="banner">
            <WarnIcon />
            <p>
              {text()} {t.connection.since(ageText(now() - answeredAt()))}
            </p>
            <Button class="small" onClick={() => void probe()}>
              {t.retry}
            </Button>
          </div>
        )}
      </Show>
    </div>
  );
}
