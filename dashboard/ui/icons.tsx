/** The few icons, drawn with the colour of the text around them. */
import type { JSX } from 'solid-js';

const icon = (draw: () => JSX.Element) => () => (
  <svg
    class="icon"
    viewBox="0 0 20 20"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
  >
    {draw()}
  </svg>
);

export const SearchIcon = icon(() => <path d="M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.500-1.500L17 17" />);
export const CopyIcon = icon(() => <path d="M7 7h9v9H7zM4 13V4h9" />);
export const CloseIcon = icon(() => <path d="m5 5 10 10M15 5 5 15" />);
export const PlusIcon = icon(() => <path d="M10 4v12M4 10h12" />);
export const UpIcon = icon(() => <path d="m5 12 5-5 5 5" />);
export const DownIcon = icon(() => <path d="m5 8 5 5 5-5" />);
export const PreviousIcon = icon(() => <path d="m12 5-5 5 5 5" />);
export const NextIcon = icon(() => <path d="m8 5 5 5-5 5" />);
export const DeployIcon = icon(() => <path d="M10 15V4M5.500 8.500 10 4l4.500 4.500M4 17h12" />);
export const RestartIcon = icon(() => <path d="M16 10a6 6 0 1 1-1.800-4.300M16 3v3.500h-3.500" />);
export const StopIcon = icon(() => <path d="M5.500 5.500h9v9h-9z" />);
export const StartIcon = icon(() => <path d="m6.500 4.500 8.500 5.500-8.500 5.500z" />);
export const BackIcon = icon(() => <path d="M8 5 4 9l4 4M4 9h8a4 4 0 0 1 0 8h-2" />);
export const EyeIcon = icon(() => (
  <path d="M2.500 10S5 5 10 5s7.500 5 7.500 5-2.500 5-7.500 5-7.500-5-7.500-5Zm7.500 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z" />
));
export const EditIcon = icon(() => <path d="m4 16 1-4 8-8 3 3-8 8zM11.500 5.500l3 3" />);
export const KeyIcon = icon(() => (
  <path d="M7 16a3.500 3.500 0 1 1 0-7 3.500 3.500 0 0 1 0 7Zm2.500-6L16 3.500M13 6.500l2.500 2.500" />
));
export const TrashIcon = icon(() => <path d="M4 6h12M8 6V4h4v2M6 6l.700 10h6.600L14 6" />);
export const WarnIcon = icon(() => <path d="M10 3 2.500 16.500h15zM10 8v4M10 14v.500" />);
export const HomeIcon = icon(() => <path d="M3.500 9 10 3.500 16.500 9v7.500h-4.500V12H8v4.500H3.500z" />);
export const BellIcon = icon(() => (
  <path d="M5.500 8.500a4.500 4.500 0 0 1 9 0c0 4 1.500 5 1.500 5H4s1.500-1 1.500-5ZM8.500 16.500h3" />
));
export const ServerIcon = icon(() => (
  <path d="M3.500 4h13v5h-13zM3.500 11h13v5h-13zM6.500 6.500h.010M6.500 13.500h.010" />
));
export const PersonIcon = icon(() => (
  <path d="M10 10a3.250 3.250 0 1 0 0-6.500 3.250 3.250 0 0 0 0 6.500ZM4 17c.500-3 3-4.500 6-4.500s5.500 1.500 6 4.500" />
));
export const ChooseIcon = icon(() => (
  <path d="m6.500 8 3.500-3.500L13.500 8M6.500 12l3.500 3.500 3.500-3.500" />
));
export const BookIcon = icon(() => (
  <path d="M4 4.500h5a1.500 1.500 0 0 1 1 1.500v10a1.500 1.500 0 0 0-1-1H4zM16 4.500h-5a1.500 1.500 0 0 0-1 1.500v10a1.500 1.500 0 0 1 1-1h5z" />
));
