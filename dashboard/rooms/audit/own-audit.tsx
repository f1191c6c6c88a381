/** The audit log of the user's tenant, for its owners. */
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { useTitle } from '../title.ts';
import { AuditEntries } from './audit-entries.tsx';

export function OwnAudit() {
  useTitle(() => t.audit.ownTitle);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.audit.ownTitle}</h1>
          <p class="quiet-text">{t.audit.ownHelp}</p>
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
