import { t } from '../../text/text.ts';

export const NotFound = () => (
  <div class="empty">
    <h1>{t.errors.notFoundTitle}</h1>
    <p>{t.errors.notFound}</p>
    <a href="/">{t.errors.back}</a>
  </div>
);
