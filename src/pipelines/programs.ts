// What pipelines export to programs that open Millrace as a library (src/index.ts), beside their kits: the one list.
export * from './items/programs.ts';
export * from './syncs/programs.ts';
