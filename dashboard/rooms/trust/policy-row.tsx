/** One trust policy: its rules, its last use, and its actions. */
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { initiatorText } from '../initiator-text.ts';
import { rulesOf, whomOf } from './policy-facts.ts';
import { renewTrustPolicies } from './queries.ts';
import type { TrustPolicy } from './trust-policy.ts';

interface PolicyRowProps {
  policy: TrustPolicy;
  /** Undefined: the user may not change it. */
  onEdit: (() => void) | undefined;
  mayRemove: boolean;
  onFiles(): void;
}

export function PolicyRow(props: PolicyRowProps) {
  const policy = () => props.policy;
  const name = () => whomOf(policy());
  const level = () => t.apiKeys.short[policy().access];
  const remove = () =>
    attempt(async () => {
      const params = { trustPolicyId: policy().id };
      await api.call('DELETE /api/trust-policies/:trustPolicyId', { params });
      say(t.trust.removed(name()));
      await renewTrustPolicies();
    });
  return (
    <li>
      <div>
        <p>
          <strong>{name()}</strong> <span class="tag">{t.trust.providers[policy().provider]}</span>
        </p>
        <p class="quiet-text facts-line">
          <Rows each={rulesOf(policy()).map((text) => ({ id: text, text }))}>
            {(rule) => <span>{rule().text}</span>}
          </Rows>
          <span>{t.trust.keys(level(), policy().expiresInMinutes)}</span>
          <Show when={policy().lastUsedAt} fallback={<span>{t.trust.unused}</span>}>
            {(at) => (
              <span>
                {t.trust.lastUsed} <Age at={at()} />
              </span>
            )}
          </Show>
          <span>{t.trust.createdBy(initiatorText(policy().createdBy))}</span>
        </p>
      </div>
      <div class="actions">
        <Button class="small" aria-label={t.trust.filesLabel(name())} onClick={() => props.onFiles()}>
          {t.trust.files}
        </Button>
        <Show when={props.mayRemove}>
          <EditAndRemove
            name={name()}
            removeHelp={t.trust.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </Show>
      </div>
    </li>
  );
}
