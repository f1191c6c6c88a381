/** Entry of the dashboard: what every page loads. */
import { render } from 'solid-js/web';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/shell.css';
import './styles/rooms.css';
import './styles/attention.css';
import './styles/notices.css';
import './styles/settings.css';
import './styles/operator.css';

const root = document.getElementById('app');
if (root) {
  // Remove the messages of public/start.js.
  root.replaceChildren();
  render(() => <App />, root);
}
