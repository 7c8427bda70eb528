// Placeholder: the owner of this target deletes this file.
