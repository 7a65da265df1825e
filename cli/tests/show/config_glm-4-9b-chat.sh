ropewalk show testdata/models/glm-4-9b-chat
