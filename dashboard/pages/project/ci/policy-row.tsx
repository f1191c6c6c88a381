/** One trust policy: its rules, its last use, and its actions. */
import { api } from '../../../api/client.ts';
import { apiKeysText } from '../../../text/operator-text.ts';
import { Age } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { initiatorText } from '../../../ui/initiator-text.ts';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { rulesOf, whomOf } from './policy-facts.ts';
import { renewTrustPolicies } from './policy-queries.ts';
import type { TrustPolicy } from './trust-policy.ts';
import { trustText } from './trust-text.ts';

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
  const level = () => apiKeysText.short[policy().access];
  const remove = () =>
    attempt(async () => {
      const params = { trustPolicyId: policy().id };
      await api.call('DELETE /api/trust-policies/:trustPolicyId', { params });
      say(trustText.removed(name()));
      await renewTrustPolicies();
    });
  return (
    <li>
      <div>
        <p>
          <strong>{name()}</strong> <span class="tag">{trustText.providers[policy().provider]}</span>
        </p>
        <p class="quiet-text facts-line">
          <Rows each={rulesOf(policy()).map((text) => ({ id: text, text }))}>
            {(rule) => <span>{rule().text}</span>}
          </Rows>
          <span>{trustText.keys(level(), policy().expiresInMinutes)}</span>
          <Show when={policy().lastUsedAt} fallback={<span>{trustText.unused}</span>}>
            {(at) => (
              <span>
                {trustText.lastUsed} <Age at={at()} />
              </span>
            )}
          </Show>
          <span>{trustText.createdBy(initiatorText(policy().createdBy))}</span>
        </p>
      </div>
      <div class="actions">
        <Button class="small" aria-label={trustText.filesLabel(name())} onClick={() => props.onFiles()}>
          {trustText.files}
        </Button>
        <Show when={props.mayRemove}>
          <EditAndRemove
            name={name()}
            removeHelp={trustText.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </Show>
      </div>
    </li>
  );
}
