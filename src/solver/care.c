// care
