// What modules of ITEM_PROCESSOR_MODULES are written with.
export {
  defineProcessor,
  found,
  notFound,
  type Outcome,
  type ProcessContext,
  type ProcessedItem,
  type Processor,
  type ProcessorColumn,
  refused,
  retry,
  skipped,
} from './processors/processor.ts';
