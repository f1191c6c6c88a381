/** The audit log of the user's tenant, for its owners. */
import { api } from '../../api/client.ts';
import { useTitle } from '../../shell/title.ts';
import { auditText } from '../../text/operator-text.ts';
import { AuditEntries } from '../../ui/audit-entries.tsx';

export function OwnAudit() {
  useTitle(() => auditText.ownTitle);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{auditText.ownTitle}</h1>
          <p class="quiet-text">{auditText.ownHelp}</p>
        </div>
      </header>
      <AuditEntries
        queryKey={['own']}
        isEnabled
        read={(query, signal) => api.call('GET /api/audit', { query, signal })}
        known={[]}
      />
    </div>
  );
}
