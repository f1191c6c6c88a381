/** Texts about a dropped folder. */
export const folderText = {
  onlyOne: 'Drop one folder, not files or several folders.',
  none: 'This folder has no files to deploy. Files that .gitignore lists, .env and node_modules are not sent.',
  tooLarge:
    'This folder is too large for a browser: at most 100 MB in 20,000 files. Run longshore up in it, or list what the app does not need in .longshoreignore.',
  notHere:
    'The browser can send folders only to an address with https, or on this machine. Run longshore up in the folder.',
} as const;
