-- The rule of changed batches in the words that everybody uses. A description that a person wrote stays.
update engine.alert_rules
set description = 'A batch was uploaded again with other content.'
where description = 'A batch was handed in again with other content.';
