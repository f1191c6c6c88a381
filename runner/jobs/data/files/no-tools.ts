/** For steps that run no program in a container, such as fetching a file. */
export const noTools = {
  run: () => Promise.reject(new Error('There is no container to run a program in.')),
};
